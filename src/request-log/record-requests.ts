import type { RecordRequest } from '../http/index.ts'
import type { Log } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { newId } from '../platform/ids.ts'
import { waits } from '../platform/waits.ts'
import { insertRequests, type NewRequest } from './queries.ts'

/** Maximum number of requests in memory: about 1 MB, and more than a process can serve in a second. */
const MAX_PENDING = 5_000

export interface RequestLog {
  /** Records a request in memory. */
  record: RecordRequest
  /** Inserts the requests in memory. Call it last, when the process stops. */
  flush(): Promise<void>
}

/**
 * Collects requests in memory and inserts them at most once a second. No response waits for it, so requests are lost if the process
 * dies, Postgres fails, or more arrive than fit.
 */
export function createRequestLog(em: EntityManager, log: Log): RequestLog {
  let pending: NewRequest[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  async function write(): Promise<void> {
    const requests = pending
    pending = []
    try {
      if (requests.length > 0) await insertRequests(em.fork(), requests)
    } catch (error) {
      dropped += requests.length
      log.warn({ error }, 'Requests could not be written to the request log')
    }
    if (dropped > 0) log.warn({ dropped }, 'The request log is incomplete')
    dropped = 0
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    record(request) {
      if (pending.length >= MAX_PENDING) {
        dropped += 1
        return
      }
      pending.push({ ...request, id: newId(), createdAt: new Date() })
      timer ??= setTimeout(() => void flush(), waits.requestLog).unref()
    },
    flush,
  }
}
