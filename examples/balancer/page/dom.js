/** The element with this id. */
export const byId = (id) => document.getElementById(id)

/** An element with attributes and children; texts are texts, never markup. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Writes only what differs, so that a reader's selection and a screen reader's place stay. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/**
 * Keeps one child of `parent` for each item, by its key, in the items' order.
 *
 * @param makeOne gives `{ element, update(item) }` for a key that is new
 */
export function keyedList(parent, keyOf, makeOne) {
  const shown = new Map()
  return (items) => {
    const keys = new Set(items.map(keyOf))
    for (const [key, { element }] of shown) {
      if (keys.has(key)) continue
      element.remove()
      shown.delete(key)
    }
    items.forEach((item, index) => {
      const key = keyOf(item)
      if (!shown.has(key)) shown.set(key, makeOne(item))
      const one = shown.get(key)
      one.update(item)
      if (parent.children[index] !== one.element)
        parent.insertBefore(one.element, parent.children[index] ?? null)
    })
  }
}
