// Boxes that scroll sideways say so: their content fades out on the side where
// there is more.

/** cue keeps data-more of a box at the sides where there is more to see. */
export function cue<E extends HTMLElement>(box: E): E {
  const update = () => {
    const hidden = box.scrollWidth - box.clientWidth;
    const sides = [box.scrollLeft > 1 && "left", box.scrollLeft < hidden - 1 && "right"].filter(Boolean).join(" ");
    if ((box.dataset["more"] ?? "") !== sides) box.dataset["more"] = sides;
  };
  box.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(box);
  return box;
}
