/** Something that is chosen by its name. */
export interface Option {
  value: string
  label: string
}

const only = (found: readonly Option[]): Option | undefined => (found.length === 1 ? found[0] : undefined)

/**
 * The one that is meant by what was typed: as it is spelled; else whatever its capitals; else, where a part is enough, the only one that has
 * it in its name.
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

export const NO_SINGLE_MATCH = 'There is none of this name, or several: choose one, or take it out.'

/** Whether the arrows have come to one of a field's choices: that is taken by Enter anyhow. */
export function hasHighlightedOption(field: HTMLElement): boolean {
  const choices = document.getElementById(field.getAttribute('aria-controls') ?? '')
  return choices?.querySelector('[data-combobox-selected]') != null
}
