import { DatabaseSync } from 'node:sqlite'

/** What the development server makes: the index by which workflows are found is kept by these, which write nothing else. */
const INDEXING = new RegExp(
  String.raw`^create trigger \w+ after (insert|delete|update) on executions_visibility\s+begin` +
    String.raw`(\s+insert into executions_visibility_fts_\w+ \([\w,\s]+\) values \([\w.,'\s]+\);)+\s+end$`,
  'i',
)
/** The server itself. To any other cluster it would connect, and take workflows from there. */
const CLUSTER = 'active'

/**
 * Looks whether Temporal's file has nothing that would lead the server elsewhere: a backup can come from anybody.
 * @throws {Error} that says what it has
 */
export function assertPlain(file: string): void {
  const database = new DatabaseSync(file)
  const namesOf = (query: string) =>
    database
      .prepare(query)
      .all()
      .map(({ name }) => String(name))
  try {
    const made = namesOf(`select sql as name from sqlite_schema where type in ('trigger', 'view')`)
    const clusters = namesOf('select cluster_name as name from cluster_metadata_info')
    const endpoints = namesOf('select hex(id) as name from nexus_endpoints')
    if (made.some((text) => !INDEXING.test(text))) throw new Error('It has triggers or views of somebody else.')
    if (clusters.some((name) => name !== CLUSTER))
      throw new Error('It names other clusters, to which it would connect.')
    if (endpoints.length > 0) throw new Error('It names Nexus endpoints, to which it would connect.')
  } catch (error) {
    throw new Error(`Temporal's part cannot be restored. ${(error as Error).message}`, { cause: error })
  } finally {
    database.close()
  }
}
