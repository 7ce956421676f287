import type { Content } from './content.ts'
import type { Bound } from './state.ts'

const RENDER = /\{%-?\s*(?:render|include)\s+(?:'([^']*)'|"([^"]*)")/g

/** Returns whether content includes a snippet: `{% render 'footer' %}`. */
export const isRendered = ({ kind, name }: Pick<Bound, 'kind' | 'name'>, content: Content): boolean =>
  kind === 'snippets' &&
  textsIn(content).some((text) => [...text.matchAll(RENDER)].some(([, one, other]) => (one ?? other) === name))

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
