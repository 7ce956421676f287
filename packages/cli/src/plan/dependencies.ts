import type { Content } from './content.ts'
import { isPending, pendingPathOf } from './names.ts'
import { isRendered } from './rendered.ts'
import type { Bound } from './state.ts'

/** Returns the paths of resources that must be created before the one of a file, because it refers to them. */
export function dependenciesOf(file: Bound, contents: ReadonlyMap<Bound, Content>): string[] {
  const content = contents.get(file)!
  const pending = pendingIn(content)
  const snippets = [...contents.keys()].filter((other) => !other.remote && isRendered(other, content))
  return [...new Set([...pending, ...snippets.map(({ path }) => path)])].filter((path) => path !== file.path)
}

function pendingIn(value: unknown): string[] {
  if (typeof value === 'string') return isPending(value) ? [pendingPathOf(value)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pendingIn) : []
}

interface Ordered {
  path: string
  after: readonly string[]
}

/** Sorts changes so that each comes after those that it needs. @throws {Error} if two need each other */
export function inOrder<Change extends Ordered>(changes: readonly Change[]): Change[] {
  const sorted: Change[] = []
  const remaining = new Set(changes)
  while (remaining.size > 0) {
    const open = new Set([...remaining].map(({ path }) => path))
    const ready = [...remaining].find(({ after }) => !after.some((path) => open.has(path)))
    if (!ready) {
      const paths = [...open].map((path) => `${path}.yaml`).join(' and ')
      throw new Error(
        `${paths} refer to each other, and none exists yet. Apply one of them without the reference first.`,
      )
    }
    sorted.push(ready)
    remaining.delete(ready)
  }
  return sorted
}
