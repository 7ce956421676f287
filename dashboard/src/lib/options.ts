export interface Option {
  value: string
  label: string
}

const only = (found: readonly Option[]): Option | undefined => (found.length === 1 ? found[0] : undefined)

/**
 * Finds the option for typed text: an exact match, else one without case, else (if a part is enough) the only one that contains it.
 */
export function findOption(
  those: readonly Option[],
  typed: string,
  { isWhole }: { isWhole: boolean },
): Option | undefined {
  const name = typed.trim()
  const asSpelled = only(those.filter(({ label }) => label === name))
  if (asSpelled) return asSpelled
  const inSmall = name.toLowerCase()
  const same = those.filter(({ label }) => label.toLowerCase() === inSmall)
  if (same.length > 0 || isWhole) return only(same)
  return only(those.filter(({ label }) => label.toLowerCase().includes(inSmall)))
}

export const NO_SINGLE_MATCH = 'No single match. Choose an option from the list.'

/** Checks whether an option is highlighted with the arrow keys. Enter then selects it anyway. */
export function hasHighlightedOption(field: HTMLElement): boolean {
  const choices = document.getElementById(field.getAttribute('aria-controls') ?? '')
  return choices?.querySelector('[data-combobox-selected]') != null
}
