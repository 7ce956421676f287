/**
 * The first start of an installation: one worker with SMTP_URL, one where it was forgotten, at the same moment. `agreeOnMail`
 * reads, then writes, in two statements: the one without can overwrite what the other one said. Both start, nobody is told,
 * and the mail of the whole installation is captured, also that of the worker that has SMTP_URL.
 */
import { createDatabase } from '../test/support/database.ts'
import { sql } from '../src/db/sql.ts'
import { agreeOnMail } from '../src/services/mail-mode.ts'

it('10 agreeing on mail at once', async () => {
  const { orm } = await createDatabase()
  const seen: Record<string, number> = {}
  for (let n = 0; n < 200; n += 1) {
    await sql(orm.em.fork(), 'delete from installation')
    const told = await Promise.allSettled([
      agreeOnMail(orm.em, { smtp: true, capture: false }),
      agreeOnMail(orm.em, { smtp: false, capture: false }),
    ])
    const [{ mail }] = (await sql<{ mail: string }>(orm.em.fork(), 'select mail from installation')) as [{ mail: string }]
    const key = `with SMTP_URL: ${told[0].status}, without: ${told[1].status}, the installation: ${mail}`
    seen[key] = (seen[key] ?? 0) + 1
  }
  console.log(seen)
  await orm.close(true)
}).timeout(60_000)
