/**
 * A template that was accepted (trial renders in some 100 ms) is rendered on a machine that is busy for half a minute: late
 * twice, and so FAILED "Template error … took longer than 1 s", for good. docs/decisions.md: "what was rendered once is
 * rendered always"; renderer.ts: "a machine that was busy for a moment must not do that".
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { aContact, activityOf, anAutomation, enroll } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'

it('09 a busy machine', async () => {
  const service = await startService()
  const busy: ChildProcess[] = []
  try {
    // A report of 300 rows with 40 columns.
    const html = `{% for i in (1..300) %}<tr>{% for j in (1..40) %}<td>{{ i | times: j | plus: 1 }} {{ contact.firstName | upcase }}</td>{% endfor %}</tr>{% endfor %}`
    const automationId = await anAutomation(service, { steps: [{ type: 'EMAIL', subject: 'Report', html }] })
    const statuses = async (ids: string[]) => {
      const all = (await Promise.all(ids.map((id) => activityOf(service, id)))).flat()
      return all.map(({ status, error }) => `${status}${error ? ` ${error}` : ''}`)
    }
    const quiet = [await aContact(service), await aContact(service)]
    for (const id of quiet) await enroll(service, automationId, id)
    await eventually('both', async () => ((await statuses(quiet)).length === 2 ? true : undefined))
    console.log('quiet:', await statuses(quiet))
    for (let n = 0; n < 10; n += 1) busy.push(spawn(process.execPath, ['-e', 'setTimeout(() => process.exit(), 60000); (function f() { for (let n = 0; n < 5e7; n++); setImmediate(f) })()']))
    await new Promise((r) => setTimeout(r, 1_500))
    const ids: string[] = []
    for (let n = 0; n < 10; n += 1) ids.push(await aContact(service))
    for (const id of ids) await enroll(service, automationId, id)
    await eventually('all', async () => ((await statuses(ids)).length === 10 ? true : undefined), 50_000)
    for (const child of busy) child.kill('SIGKILL')
    console.log('busy:', Object.fromEntries(Map.groupBy(await statuses(ids), (x) => x).entries().map(([k, v]) => [k, v.length])))
  } finally {
    for (const child of busy) child.kill('SIGKILL')
    await service.stop()
  }
}).timeout(120_000)
