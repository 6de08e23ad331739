// What can't be read in the window: text and tiles that stick out of it, are cut off by a box, or lie over others.
async () => {
  const SLACK = 1.5;
  const CUTS = (style) => style.overflow !== "visible" && !/auto|scroll/.test(style.overflow);
  const SCROLLS = (style) => /auto|scroll/.test(style.overflow);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

  const around = function* (node) {
    for (let each = node; each !== null && each !== document.body; each = each.parentElement)
      yield { style: getComputedStyle(each), edge: each.getBoundingClientRect() };
  };
  const isVisible = (node) =>
    node.getClientRects().length > 0 && node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const words = (node) => `${node.getAttribute("class") ?? node.tagName}: ${node.textContent.trim().slice(0, 30)}`;

  // A line of text has a box that is higher than its letters.
  const letters = (rect, size) => {
    const middle = (rect.top + rect.bottom) / 2;
    return {
      left: rect.left,
      right: rect.right,
      top: Math.max(rect.top, middle - size / 2),
      bottom: Math.min(rect.bottom, middle + size / 2),
    };
  };
  const shown = [...document.querySelectorAll("svg.tile")]
    .filter((tile) => isVisible(tile) && tile.closest("[aria-hidden=true], .centre-back") === null)
    .map((node) => ({ node, box: node.getBoundingClientRect() }));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (texts.currentNode.textContent.trim() === "" || node.closest("svg, script, [aria-hidden=true], .centre-back") || !isVisible(node)) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const size = parseFloat(getComputedStyle(node).fontSize);
    for (const rect of range.getClientRects()) shown.push({ node, box: letters(rect, size) });
  }

  // A label that stands on its own ground is seen whole, not its letters alone.
  const labels = [...document.querySelectorAll(".source, .pond-marks > *, .turn-word, .dealer-word")]
    .filter(isVisible)
    .map((node) => ({ node, box: node.getBoundingClientRect() }));

  const faults = new Set();
  for (const { node, box } of [...shown, ...labels]) {
    const boxes = [...around(node)];
    const beyond = box.left < -SLACK || box.top < -SLACK || box.right > innerWidth + SLACK || box.bottom > innerHeight + SLACK;
    if (beyond && !boxes.some(({ style }) => SCROLLS(style))) faults.add(`outside the window: ${words(node)}`);
    for (const { style, edge } of boxes.filter((each) => CUTS(each.style))) {
      const high = box.top < edge.top - SLACK || box.bottom > edge.bottom + SLACK;
      const wide = box.left < edge.left - SLACK || box.right > edge.right + SLACK;
      const elided = style.textOverflow === "ellipsis" ? "wide" : style.webkitLineClamp !== "none" ? "high" : "";
      if ((high && elided !== "high") || (wide && elided !== "wide")) faults.add(`cut off: ${words(node)}`);
    }
  }

  // What is cut off at the edge of its box does not lie over what comes after it.
  const seen = ({ node, box }) => {
    let { left, right, top, bottom } = box;
    for (const { edge } of [...around(node)].filter(({ style }) => style.overflow !== "visible")) {
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return { left, right, top, bottom, node };
  };
  const layer = (node) => node.closest("dialog, [popover], [data-over]");
  const read = shown.map(seen);
  read.forEach((one, number) => {
    for (const other of read.slice(number + 1)) {
      if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
      // A label that stands on its own ground over tiles is meant to, and so is the last discard, a little larger.
      if ([one, other].some(({ node }) => node.closest(".source, .more, .tile.last") !== null)) continue;
      if (layer(one.node) !== layer(other.node)) continue;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > SLACK && high > SLACK) faults.add(`${words(one.node)} lies over ${words(other.node)}`);
    }
  });
  return [...faults].slice(0, 8);
}
