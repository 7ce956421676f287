import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseSource } from '../../src/rendering/engine.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The used heap in megabytes. */
function usedHeap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1e6
}

describe('cached templates', () => {
  const braces: Record<string, (n: number) => string> = {
    'in quotes': (n) => `{{ "}}" | append: ${'a,'.repeat(60_000)}a${n} }}`,
    'of the other kind, in quotes': (n) => `{{ "%}" | append: ${'a,'.repeat(60_000)}a${n} }}`,
    'of the other kind, in a tag': (n) => `{% case a %}{% when "}}"${',1'.repeat(60_000)},${n} %}{% endcase %}`,
  }
  for (const [what, source] of Object.entries(braces)) {
    it(`limits the memory of cached templates with braces ${what}`, () => {
      const before = usedHeap()
      for (let n = 0; n < 5; n += 1) assert.equal(parseSource('text', source(n), `${what} ${n}`), undefined)
      const more = usedHeap() - before
      assert.ok(more < 15, `${Math.round(more)} MB`)
    })
  }
})
