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
  /** The server has the latest edits. */
  | { is: 'saved'; kept: AutomationDraft }
  | { is: 'saving' }
  /** Failed temporarily; retried automatically. */
  | { is: 'waiting'; error: unknown }
  /** Someone else saved another draft. */
  | { is: 'changed' }
  | { is: 'refused'; error: unknown }

const RETRY_MS = 3_000

/** A loaded draft: its ETag (`"0"` if there is none) and the revision of the automation it is based on. */
export interface LoadedDraft {
  sequence: AutomationDraft
  etag: string
  basedOn: number
}

export interface DraftSaver {
  /** Saves this after the request in flight. */
  scheduleSave(sequence: AutomationDraft): void
  /** Overwrites the draft of someone else. @throws if it can't be read */
  overwrite(): Promise<void>
  /** Saves now. @returns the draft's revision @throws if it is rejected, conflicts, or the server is unreachable */
  saveNow(sequence: AutomationDraft): Promise<number>
  /** Continues from a loaded draft and drops unsaved edits. */
  reset(read: LoadedDraft): void
  /** Bases the draft on a newer version of the automation. */
  rebase(basedOn: number): void
  /** Saves again even if nothing changed: the draft may have been deleted. */
  saveAgain(): void
  /** Checks that the server's draft is the one this page knows, and reports a conflict otherwise. */
  check(): Promise<void>
  /** Stops saving until `resume` or `reset`. */
  pause(): Promise<void>
  /** Continues after `pause`. */
  resume(): void
  /** Stops saving for good. */
  stop(): void
  /** Whether all edits are saved. */
  isSaved(): boolean
  /** ETag of the draft that this page knows. */
  etag(): string
}

/** Nothing was saved, for a reason in this page. */
class DraftNotSaved extends DisplayableError {}

export const isConflict = (error: unknown) => hasErrorCode(error, 'revision_conflict')
/** Checks whether to retry: the server was unreachable, or the session ended and the user may sign in again. */
const isRetryable = (error: unknown): boolean =>
  isTransient(error) || (error instanceof DriplineError && error.status === 401)
/**
 * Saves a draft: one request at a time, with retries while the server is unreachable, and never over a draft that this page has not loaded.
 *
 * @param read the loaded draft
 * @param tell called with each state
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
  /** `undefined` if the server's state is unknown because a response was lost. */
  let kept: AutomationDraft | undefined = read.sequence
  /** Drafts sent without a response. The server may have stored one of them. */
  const doubtful = new Set<string>()
  /** The running save loop; `reset` starts another. */
  let loop: symbol | undefined
  /** Counts resets. Responses to earlier requests are ignored. */
  let beginnings = 0
  /** Whether to save although nothing changed, because the base version changed. */
  let mustAgain = false
  let isBlocked = false
  /** Remembers a pending `saveAgain` while paused. */
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

  /** @returns the new ETag */
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

  /** @returns the ETag of the server's draft if this page sent it without getting a response */
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
        // Even if the loop was stopped: this is the server's state.
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
        // A rejected draft may be fixed by editing. A conflict needs a decision.
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
      // Also while another request is in flight, which would arrive after this one.
      while (kept !== sequence || loop) {
        if (isBlocked) throw new DraftNotSaved('Someone else edited this automation. Choose whose changes to keep.')
        // Edited or reset since: this content is outdated.
        if (wanted !== sequence || isStopped) throw new DraftNotSaved('It was edited in the meantime.')
        const nextState = new Promise<Saving>((resolve) => waiters.push(resolve))
        void run()
        const saving = await nextState
        if (saving.is === 'refused' || saving.is === 'waiting') throw saving.error
      }
      return revisionOf(etag)
    },
    async overwrite() {
      const begun = beginnings
      // Read the current ETag, so that a late response of an earlier request is not mistaken for this one.
      const found = await loadDraft(api, automationId)
      if (!isBlocked || begun !== beginnings) return
      etag = found?.etag ?? NO_DRAFT
      isBlocked = false
      kept = undefined
      void run()
    },
    reset(loaded) {
      loop = undefined
      beginnings += 1
      mustAgain = false
      hushed = undefined
      isBlocked = false
      doubtful.clear()
      ;({ etag, basedOn } = loaded)
      wanted = loaded.sequence
      kept = loaded.sequence
      // Wakes waiting `saveNow` calls.
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
      // A save in the meantime reports its own result.
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
      // The server may have stored a draft without a response.
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
