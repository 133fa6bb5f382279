package disk

import "plimsoll/internal/storage"

func (p *Parameters) validate() []storage.FieldError { return nil }
