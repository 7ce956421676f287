/** Templates of one workspace fill the memory of the thread that another one's email is rendered in. */
import { createRenderer } from '../src/mail/renderer.ts'
const renderer = createRenderer()
const now = () => `${(performance.now() / 1000).toFixed(2)}s`
const shape = process.argv[2] ?? 'args'
const count = Number(process.argv[3] ?? 30)
const big = (n: number) => {
  const marker = `{% comment %}${n}{% endcomment %}`
  const args = Array.from({ length: Number(process.argv[4] ?? 240_000) }, (_, i) => (i + n) % 10).join(',')
  if (shape === 'args') return `${marker}{{ "" | default: ${args} }}`
  return marker
}
let innocent = 0, failed = 0
for (let n = 0; n < count; n += 1) {
  const content = { subject: 'x', html: big(n), text: null }
  const t = performance.now()
  const problems = await renderer.check(content, { owner: 'attacker' })
  const checked = performance.now() - t
  const t2 = performance.now()
  const outcome = problems.length ? 'not saved' : await renderer.render(content, { contact: { email: 'a', firstName: null, metadata: {} } }, { owner: 'attacker' }).then(() => 'rendered', (e: Error) => e.message)
  console.log(now(), n, `${content.html.length} chars`, problems, `${checked.toFixed(0)} ms`, outcome, `${(performance.now() - t2).toFixed(0)} ms`, `rss ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`)
}
renderer.close()
