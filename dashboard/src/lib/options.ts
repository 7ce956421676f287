export interface Option {
  value: string
  label: string
}

const single = (found: readonly Option[]): Option | undefined => (found.length === 1 ? found[0] : undefined)

/**
 * Finds the option for typed text: an exact match, else one without case, else (if a part is enough) the only one that contains it.
 */
export function findOption(
  options: readonly Option[],
  typed: string,
  { isExact }: { isExact: boolean },
): Option | undefined {
  const name = typed.trim()
  const exact = single(options.filter(({ label }) => label === name))
  if (exact) return exact
  const lowerCase = name.toLowerCase()
  const same = options.filter(({ label }) => label.toLowerCase() === lowerCase)
  if (same.length > 0 || isExact) return single(same)
  return single(options.filter(({ label }) => label.toLowerCase().includes(lowerCase)))
}

export const NO_SINGLE_MATCH = 'No single match. Choose an option from the list.'

/** Checks whether an option is highlighted with the arrow keys. Enter then selects it anyway. */
export function hasHighlightedOption(field: HTMLElement): boolean {
  const choices = document.getElementById(field.getAttribute('aria-controls') ?? '')
  return choices?.querySelector('[data-combobox-selected]') != null
}
