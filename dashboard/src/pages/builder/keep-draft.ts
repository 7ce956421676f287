import { type Api, DriplineError, isPassing } from '../../api/client.ts'
import { revisionOf } from './opened.ts'
import type { Sequence } from './sequence.ts'

export type Saving =
  /** As it is in the service: what was kept last. */
  | { is: 'saved'; kept: Sequence }
  | { is: 'saving' }
  /** Not kept yet, and tried again by itself. */
  | { is: 'waiting'; error: unknown }
  /** Somebody else has saved another one. */
  | { is: 'changed' }
  | { is: 'refused'; error: unknown }

const RETRY_MS = 3_000

export interface DraftKeeper {
  /** Has this be what is kept, as soon as what is on its way has arrived. */
  want(sequence: Sequence): void
  /** Keeps what is wanted, whatever somebody else has saved. */
  overwrite(): void
  /** Keeps it now. @returns the draft's revision @throws where it is refused, or is another one than this page has read */
  keep(sequence: Sequence): Promise<number>
  /** There is no draft any more, and this is what the automation says. */
  forget(sequence: Sequence): void
  /** Whether all that was wanted is kept. */
  isDone(): boolean
}

/** The same text for the same content: the service keeps no order of keys. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Whoever was not answered, or is signed out for now, asks again. */
const mayPass = (error: unknown): boolean =>
  isPassing(error) || (error instanceof DriplineError && error.status === 401)

/**
 * Keeps a draft: one request at a time, over and over where the service is away, and never over what this page has not read.
 *
 * @param read the draft that was read, and its ETag; `"0"` where there was none
 */
export function keepDraft(
  api: Api,
  automationId: string,
  read: { sequence: Sequence; etag: string; basedOn: number },
  tell: (saving: Saving) => void,
): DraftKeeper {
  let kept = read.sequence
  let wanted = read.sequence
  let etag: string | undefined = read.etag
  let isAtIt = false
  let isBlocked = false
  /** Why, where it is. */
  let refused: unknown
  /** What was sent, and not answered by the service: one of it may be what is there. */
  const doubtful = new Set<string>()

  async function save(sequence: Sequence): Promise<void> {
    const content = { sequence } as unknown as Record<string, never>
    try {
      const { response } = await api.PUT('/automations/{id}/draft', {
        params: { path: { id: automationId }, header: etag === undefined ? {} : { 'If-Match': etag } },
        body: { content, basedOn: read.basedOn },
      })
      etag = response.headers.get('etag') ?? undefined
      doubtful.clear()
    } catch (error) {
      if (error instanceof DriplineError && error.code === 'changed_meanwhile' && (await isMine()))
        return save(sequence)
      if (error instanceof DriplineError && (error.status === undefined || error.status >= 500))
        doubtful.add(textOf(sequence))
      throw error
    }
  }

  /** Whether what is there is what this page has sent, and heard no answer to. */
  async function isMine(): Promise<boolean> {
    if (doubtful.size === 0) return false
    const found = await api
      .GET('/automations/{id}/draft', { params: { path: { id: automationId } } })
      .catch(() => undefined)
    if (!found || !doubtful.has(textOf((found.data.data.content as { sequence?: unknown }).sequence))) return false
    etag = found.response.headers.get('etag') ?? undefined
    doubtful.clear()
    return true
  }

  async function run(): Promise<void> {
    if (isAtIt || isBlocked) return
    isAtIt = true
    try {
      while (kept !== wanted) {
        const sequence = wanted
        tell({ is: 'saving' })
        try {
          await save(sequence)
          kept = sequence
        } catch (error) {
          if (mayPass(error)) {
            tell({ is: 'waiting', error })
            await pause(RETRY_MS)
            continue
          }
          refused = error
          const isChanged = error instanceof DriplineError && error.code === 'changed_meanwhile'
          // Another text may be taken; over somebody else's it is not said so by typing on.
          isBlocked = isChanged
          tell(isChanged ? { is: 'changed' } : { is: 'refused', error })
          return
        }
      }
      tell({ is: 'saved', kept })
    } finally {
      isAtIt = false
    }
  }

  return {
    want(sequence) {
      wanted = sequence
      void run()
    },
    async keep(sequence) {
      wanted = sequence
      await run()
      // Another turn may be at it.
      while (isAtIt) await pause(50)
      if (kept !== sequence) throw refused instanceof Error ? refused : new Error('The draft was not kept')
      return revisionOf(etag)
    },
    overwrite() {
      etag = undefined
      isBlocked = false
      void run()
    },
    forget(sequence) {
      kept = sequence
      wanted = sequence
      etag = '"0"'
      isBlocked = false
      tell({ is: 'saved', kept })
    },
    isDone: () => kept === wanted,
  }
}
