package endpoint

// Bucket is the kind of endpoints that are a bucket of an object store, reached by the
// S3 protocol. User is the access key, Password the secret key, and Certificate the
// authority that signed the store's certificate where its URLs are https.
const Bucket = "bucket"

// Store is the payload of the kind Bucket.
type Store struct {
	// URLs are the addresses of the store's gateways, at least one: http://10.0.0.7:8080.
	URLs []string `json:"urls"`
	// Name is the bucket's. It is empty where a server was started for the instance: whoever
	// prepares the instance makes one.
	Name string `json:"name,omitempty"`
	// Region is the region that requests are signed for.
	Region string `json:"region"`
	// VirtualHost puts the bucket's name into the host of a request rather than its path.
	VirtualHost bool `json:"virtual_host,omitempty"`
}

// StoreOf returns the store at an endpoint, or zero if the endpoint is not a bucket.
func StoreOf(e Endpoint) Store {
	s, _ := As[Store](e)
	return s
}
