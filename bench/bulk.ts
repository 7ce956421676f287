import { sql } from '../src/platform/db/sql.ts'
import { newId } from '../src/platform/ids.ts'
import { startService } from './service.ts'
import { timed, type Benchmark } from './compare.ts'
import { post } from './load.ts'

const CALLS = 10
const CONTACTS = 1_000

const RAW = `
insert into bare_contacts as contact (id, workspace_id, email, email_key, first_name, metadata)
select id, $1::uuid, email, email_key, first_name, metadata
from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[])
  as item(id, email, email_key, first_name, metadata)
on conflict (workspace_id, email_key) do update set
  email = excluded.email, first_name = excluded.first_name, metadata = contact.metadata || excluded.metadata, updated_at = now()`

/** A bulk request over HTTP, with key, limit, validation and triggers ÷ one raw statement with the same rows. */
export const bulk: Benchmark = {
  name: 'bulk',
  title: 'contacts/s of POST /contacts/bulk with 1,000 ÷ of a raw unnest upsert of the same rows',
  goal: { atLeast: 0.5 },
  unit: 'contacts/s',
  async prepare() {
    const service = await startService({ worker: false })
    const baseUrl = `http://127.0.0.1:${service.port}/api/v1`
    const em = () => service.context.orm.em.fork()
    // The same indexes and constraints. `like` does not copy the foreign key and the trigger, and the trigger is part of the
    // product.
    await sql(em(), 'create table bare_contacts (like contacts including all)')
    await sql(em(), 'alter table bare_contacts add foreign key (workspace_id) references workspaces')
    let contacts = 0
    const batch = () =>
      Array.from({ length: CONTACTS }, () => {
        contacts += 1
        return { email: `bulk-${contacts}@example.com`, firstName: 'Ada', metadata: { plan: 'pro', number: contacts } }
      })
    const rate = (milliseconds: number) => (CALLS * CONTACTS) / (milliseconds / 1_000)
    return {
      async ours() {
        const bodies = Array.from({ length: CALLS }, () => ({ contacts: batch() }))
        return rate(
          await timed(async () => {
            for (const body of bodies) {
              const answer = await post(baseUrl, service.key, 'contacts/bulk', body, 200)
              const { data } = answer as { data: { created: number } }
              if (data.created !== CONTACTS) throw new Error('A bulk request did not create all contacts')
            }
          }),
        )
      },
      async bare() {
        const batches = Array.from({ length: CALLS }, batch)
        return rate(
          await timed(async () => {
            for (const rows of batches) {
              await sql(em(), RAW, [
                service.workspaceId,
                rows.map(() => newId()),
                rows.map(({ email }) => email),
                rows.map(({ email }) => email),
                rows.map(({ firstName }) => firstName),
                rows.map(({ metadata }) => JSON.stringify(metadata)),
              ])
            }
          }),
        )
      },
      close: () => service.stop(),
    }
  },
}
