import {
  type Api,
  DriplineError,
  isOutcomeUnknown,
  isTransient,
  hasErrorCode,
  DisplayableError,
} from '../../api/client.ts'
import { sleep } from '../../lib/sleep.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { NO_DRAFT, loadDraft, revisionOf } from './load-automation.ts'
import type { AutomationDraft } from './draft.ts'

export type Saving =
  /** As it is in the service: what was kept last. */
  | { is: 'saved'; kept: AutomationDraft }
  | { is: 'saving' }
  /** Not kept yet, and tried again by itself. */
  | { is: 'waiting'; error: unknown }
  /** Somebody else has saved another one. */
  | { is: 'changed' }
  | { is: 'refused'; error: unknown }

const RETRY_MS = 3_000

/** The draft that was read: its ETag, `"0"` where there was none, and the automation's revision that it began with. */
export interface LoadedDraft {
  sequence: AutomationDraft
  etag: string
  basedOn: number
}

export interface DraftSaver {
  /** Has this be what is kept, as soon as what is on its way has arrived. */
  scheduleSave(sequence: AutomationDraft): void
  /** Keeps what is wanted over what somebody else has saved so far. @throws where nobody knows what that is */
  overwrite(): Promise<void>
  /** Keeps it now. @returns the draft's revision @throws where it is refused, is another one than was read, or nobody answers */
  saveNow(sequence: AutomationDraft): Promise<number>
  /** Goes on with what was read: what was wanted before is nobody's any more. */
  reset(read: LoadedDraft): void
  /** The draft is meant for a newer version of the automation. */
  rebase(basedOn: number): void
  /** Keeps once more what is kept: it may not be there any more. */
  saveAgain(): void
  /** Looks whether the draft that this page knows is there, and is the one; tells where it is not. */
  check(): Promise<void>
  /** Keeps nothing until it is told to go on, or all begins anew. */
  pause(): Promise<void>
  /** Goes on where it was hushed. */
  resume(): void
  /** Keeps nothing any more. */
  stop(): void
  /** Whether all that was wanted is kept. */
  isSaved(): boolean
  /** Of the draft that this page knows. */
  etag(): string
}

/** Nothing was kept, and for no reason of the service's. */
export class DraftNotSaved extends DisplayableError {}

export const isConflict = (error: unknown) => hasErrorCode(error, 'changed_meanwhile')
/** Whoever was not answered, or is signed out for now, asks again. */
const isRetryable = (error: unknown): boolean =>
  isTransient(error) || (error instanceof DriplineError && error.status === 401)
/**
 * Keeps a draft: one request at a time, over and over where the service is away, and never over what this page has not read.
 *
 * @param read the draft that was read
 * @param tell of each turn that it takes
 */
export function createDraftSaver(
  api: Api,
  automationId: string,
  read: LoadedDraft,
  tell: (saving: Saving) => void,
): DraftSaver {
  const path = { id: automationId }
  let { etag, basedOn } = read
  let wanted = read.sequence
  /** `undefined`: nobody knows what is there, since an answer was lost. */
  let kept: AutomationDraft | undefined = read.sequence
  /** What was sent, and not answered by the service: one of it may be what is there. */
  const doubtful = new Set<string>()
  /** The loop that is at it; another one begins where all begins anew. */
  let loop: symbol | undefined
  /** What was sent before all began anew says nothing of what is there now. */
  let beginnings = 0
  /** Whether it is sent although it is there: it is meant for another version. */
  let mustAgain = false
  let isBlocked = false
  /** What was to be sent once more when it was hushed is sent behind that. */
  let hushed: { mustAgain: boolean } | undefined
  let isStopped = false
  let onItsWay: Promise<unknown> = Promise.resolve()
  let waiters: ((saving: Saving) => void)[] = []

  function say(saving: Saving): void {
    tell(saving)
    if (saving.is === 'saving') return
    for (const waiter of waiters) waiter(saving)
    waiters = []
  }

  /** @returns the ETag behind it */
  async function save(sequence: AutomationDraft, ifMatch: string): Promise<string> {
    const content = { sequence } as unknown as Record<string, never>
    try {
      const { response } = await api.PUT('/automations/{id}/draft', {
        params: { path, header: { 'If-Match': ifMatch } },
        body: { content, basedOn },
      })
      return response.headers.get('etag') ?? ''
    } catch (error) {
      if (isOutcomeUnknown(error)) doubtful.add(stableJson(sequence))
      const mine = isConflict(error) && doubtful.size > 0 ? await readMine() : undefined
      if (mine === undefined) throw error
      return save(sequence, mine)
    }
  }

  /** @returns the ETag of what is there, where that is what this page has sent, and heard no answer to */
  async function readMine(): Promise<string | undefined> {
    const found = await loadDraft(api, automationId)
    if (!found || !doubtful.has(stableJson((found.content as { sequence?: unknown }).sequence))) return undefined
    doubtful.clear()
    return found.etag
  }

  async function run(): Promise<void> {
    if (loop || hushed || isBlocked || isStopped) return
    const mine = Symbol('loop')
    loop = mine
    const isOver = () => loop !== mine || isStopped
    while (kept !== wanted || mustAgain) {
      const sequence = wanted
      const isAgain = mustAgain
      const begun = beginnings
      mustAgain = false
      say({ is: 'saving' })
      try {
        const saving = save(sequence, etag)
        onItsWay = saving.catch(() => undefined)
        const now = await saving
        if (begun !== beginnings) return
        // Also where nothing more is to be kept: it is what is there.
        etag = now
        kept = sequence
        doubtful.clear()
        if (isOver()) return
      } catch (error) {
        if (begun !== beginnings) return
        if (isOutcomeUnknown(error)) kept = undefined
        if (isOver()) return
        mustAgain ||= isAgain
        if (isRetryable(error)) {
          say({ is: 'waiting', error })
          await sleep(RETRY_MS)
          if (isOver()) return
          continue
        }
        loop = undefined
        // Another text may be taken; over somebody else's it is not said so by typing on.
        isBlocked = isConflict(error)
        return say(isBlocked ? { is: 'changed' } : { is: 'refused', error })
      }
    }
    loop = undefined
    say({ is: 'saved', kept: wanted })
  }

  return {
    scheduleSave(sequence) {
      wanted = sequence
      void run()
    },
    async saveNow(sequence) {
      wanted = sequence
      // Also while another one is on its way, which would come behind this.
      while (kept !== sequence || loop) {
        if (isBlocked) throw new DraftNotSaved('Somebody else has edited it. Say above whose is meant.')
        // Typed since, or begun anew: this is not to be kept any more.
        if (wanted !== sequence || isStopped) throw new DraftNotSaved('It was edited further meanwhile.')
        const told = new Promise<Saving>((resolve) => waiters.push(resolve))
        void run()
        const saving = await told
        if (saving.is === 'refused' || saving.is === 'waiting') throw saving.error
      }
      return revisionOf(etag)
    },
    async overwrite() {
      const begun = beginnings
      // Of what is there now, so that what comes late of before is not taken for this.
      const found = await loadDraft(api, automationId)
      if (!isBlocked || begun !== beginnings) return
      etag = found?.etag ?? NO_DRAFT
      isBlocked = false
      kept = undefined
      void run()
    },
    reset(anew) {
      loop = undefined
      beginnings += 1
      mustAgain = false
      hushed = undefined
      isBlocked = false
      doubtful.clear()
      ;({ etag, basedOn } = anew)
      wanted = anew.sequence
      kept = anew.sequence
      // Whoever waits for what was before looks again.
      say({ is: 'saved', kept })
    },
    rebase(revision) {
      basedOn = revision
    },
    saveAgain() {
      mustAgain = true
      void run()
    },
    async check() {
      const isQuiet = () => !loop && !isBlocked && !isStopped && kept === wanted
      const before = etag
      if (!isQuiet()) return
      const found = await loadDraft(api, automationId).catch(() => null)
      // What was saved meanwhile is told by that.
      if (found === null || !isQuiet() || etag !== before || (found?.etag ?? NO_DRAFT) === etag) return
      isBlocked = true
      kept = undefined
      say({ is: 'changed' })
    },
    async pause() {
      loop = undefined
      hushed = { mustAgain: mustAgain || hushed?.mustAgain === true }
      mustAgain = false
      await onItsWay
      // What was not answered may be what is there.
      if (doubtful.size > 0) etag = (await readMine()) ?? etag
      wanted = kept ?? wanted
    },
    resume() {
      mustAgain ||= hushed?.mustAgain ?? false
      hushed = undefined
      void run()
    },
    stop() {
      isStopped = true
      loop = undefined
    },
    isSaved: () => !loop && kept === wanted,
    etag: () => etag,
  }
}
