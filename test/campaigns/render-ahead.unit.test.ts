import assert from 'node:assert/strict'
import { RenderAhead } from '../../src/campaigns/render-ahead.ts'
import { type RenderedEmail, type Renderer, RendererBusy } from '../../src/rendering/index.ts'

const CONTENT = { subject: 'x', html: 'x', text: null }
const OTHER = { ...CONTENT, subject: 'y' }

/** A renderer that records the size of each job, and how much is rendered but not taken. */
function aRenderer(characters: number) {
  const jobs: number[] = []
  const renderAll = (_content: unknown, variables: readonly unknown[]): Promise<RenderedEmail[]> => {
    jobs.push(variables.length)
    return Promise.resolve(variables.map(() => ({ subject: 'x', html: 'x'.repeat(characters), text: null })))
  }
  return { jobs, renderer: { renderAll } as unknown as Renderer }
}
const of = (renderer: Renderer, count: number, other = 0) =>
  new RenderAhead(
    renderer,
    [
      ...Array.from({ length: count }, (_, item) => ({ item, content: CONTENT })),
      ...Array.from({ length: other }, (_, item) => ({ item, content: OTHER })),
    ],
    { owner: 'w', variablesOf: (item) => ({ contact: { email: String(item) } }) as never },
  )
const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0)

describe('rendering ahead', () => {
  it('renders one job ahead of the consumer, and no further', async () => {
    const { jobs, renderer } = aRenderer(10)
    const ahead = of(renderer, 200)
    assert.deepEqual(jobs, [], 'nothing before the first request')
    for (let n = 0; n < 200; n += 1) {
      const email = await ahead.take(n)
      assert.ok(email && 'subject' in email)
      assert.ok(sum(jobs) - n <= 51, `${sum(jobs)} rendered when ${n} were taken`)
    }
    assert.equal(sum(jobs), 200, 'each once')
    assert.equal(Math.max(...jobs), 25)
  })

  it('renders only a few emails at a time if they are long', async () => {
    const { jobs, renderer } = aRenderer(2_000_000)
    const ahead = of(renderer, 40)
    for (let n = 0; n < 40; n += 1) await ahead.take(n)
    assert.equal(sum(jobs), 40)
    assert.deepEqual(new Set(jobs.slice(2)), new Set([2]))
  })

  it('renders different content in separate jobs', async () => {
    const { jobs, renderer } = aRenderer(10)
    const ahead = of(renderer, 3, 4)
    for (let n = 0; n < 7; n += 1) await ahead.take(n)
    assert.deepEqual(jobs, [3, 4])
  })

  it('returns nothing if the machine is too busy, and fails with other errors', async () => {
    for (const [error, expected] of [
      [new RendererBusy(), undefined],
      [new Error('broken'), 'broken'],
    ] as const) {
      const ahead = of({ renderAll: () => Promise.reject(error) } as unknown as Renderer, 3)
      const taken = ahead.take(0)
      if (expected === undefined) assert.equal(await taken, undefined)
      else await assert.rejects(taken, /broken/)
    }
  })
})
