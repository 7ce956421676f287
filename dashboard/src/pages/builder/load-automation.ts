import { type Api, DriplineError, isTransient, hasErrorCode, type Schemas } from '../../api/client.ts'
import { sleep } from '../../lib/sleep.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { parseDraft, type AutomationDraft, draftOf } from './draft.ts'

type Automation = Schemas['Automation']

export type DraftWithEtag = Schemas['Draft'] & { etag: string }

/** An automation as it was read to be edited, with the draft there is of it. */
export interface LoadedAutomation {
  automation: Automation
  etag: string
  draft: DraftWithEtag | undefined
  /** The ETag of a draft that another program keeps, and this page cannot read. */
  foreignDraft?: string | undefined
  /** What is edited. */
  sequence: AutomationDraft
}

/** The revision in an ETag, also where a proxy has made it a weak one. */
export const revisionOf = (etag: string | undefined): number => Number(/"(\d+)"/.exec(etag ?? '')?.[1] ?? 0)

/** How long, and with what pauses, it is tried to read what is there, where the service does not answer, in milliseconds. */
const RETRY_TIMEOUT_MS = 60_000
const RETRY_MS = 3_000
const TIMEOUT_MS = 10_000

/** @returns the automation as it is, as soon as the service answers @throws where it does not for a minute */
export async function loadWithRetry(api: Api, id: string): Promise<LoadedAutomation> {
  const until = Date.now() + RETRY_TIMEOUT_MS
  for (;;) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await loadAutomation(api, id, signal)
    } catch (error) {
      if (!(isTransient(error) || signal.aborted)) throw error
      if (Date.now() > until)
        throw signal.aborted ? new DriplineError('No answer', { code: 'timeout', cause: error }) : error
      await sleep(RETRY_MS)
    }
  }
}

/** The ETag where there is no draft. */
export const NO_DRAFT = '"0"'

/** Reads the draft of an automation. @returns `undefined` where there is none */
export async function loadDraft(api: Api, id: string, signal?: AbortSignal): Promise<DraftWithEtag | undefined> {
  try {
    const given = { params: { path: { id } }, ...(signal && { signal }) }
    const { data, response } = await api.GET('/automations/{id}/draft', given)
    return { ...data.data, etag: response.headers.get('etag') ?? '' }
  } catch (error) {
    if (hasErrorCode(error, 'draft_not_found')) return undefined
    throw error
  }
}

/** Reads an automation, and the draft of it: where another program has begun one that nobody here can read, it is told when it is saved over. */
export async function loadAutomation(api: Api, id: string, signal?: AbortSignal): Promise<LoadedAutomation> {
  const given = { params: { path: { id } }, ...(signal && { signal }) }
  const { data: body, response } = await api.GET('/automations/{id}', given)
  const found = await loadDraft(api, id, signal)
  const automation = body.data
  const kept = found && parseDraft(found.content)
  return {
    automation,
    etag: response.headers.get('etag') ?? '',
    draft: kept && found,
    foreignDraft: kept ? undefined : found?.etag,
    sequence: kept ?? draftOf(automation),
  }
}

/** As a draft is kept of it. */
export const loadedDraftOf = ({ sequence, draft, etag }: LoadedAutomation) => ({
  sequence,
  etag: draft?.etag ?? NO_DRAFT,
  basedOn: draft?.basedOn ?? revisionOf(etag),
  isDraft: draft !== undefined,
})

/** What is said to be so when a sequence is published. */
export const publishBodyOf = ({ name, trigger, triggerConfig, onSendFailure, steps }: AutomationDraft) => ({
  name,
  trigger,
  triggerConfig,
  onSendFailure,
  steps: [...steps],
})

/** Whether an automation is what a sequence says, whatever its steps' ids are. */
export const isSameContent = (automation: Automation, sequence: AutomationDraft): boolean =>
  withoutIds(draftOf(automation)) === withoutIds(sequence)

const withoutIds = (sequence: AutomationDraft): string =>
  stableJson({ ...publishBodyOf(sequence), steps: sequence.steps.map((step) => ({ ...step, id: '' })) })
