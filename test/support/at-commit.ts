import { Client } from 'pg'

type Query = (this: object, ...of: unknown[]) => Promise<unknown>

/**
 * Changes the answer to the commit of the next transaction in which a named statement runs.
 * @param answer is given the commit, which is on its way
 * @returns what restores the client
 */
export function atCommitOf(statement: string, answer: (commit: Promise<unknown>) => Promise<unknown>): () => void {
  const prototype = Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const restore = () => (prototype.query = query)
  const ran = new WeakSet<object>()
  prototype.query = function (this: object, ...of) {
    const [first] = of as [string | { name?: string }]
    if (typeof first === 'object' && first.name === statement) ran.add(this)
    if (first !== 'commit' || !ran.has(this)) return query.apply(this, of)
    restore()
    return answer(query.apply(this, of))
  }
  return restore
}
