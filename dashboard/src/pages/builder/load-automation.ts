import { type Api, DriplineError, isTransient, hasErrorCode, type Schemas } from '../../api/client.ts'
import { sleep } from '../../lib/sleep.ts'
import { stableJson } from '../../lib/stable-json.ts'
import { parseDraft, type AutomationDraft, draftOf } from './draft.ts'

type Automation = Schemas['Automation']

export type DraftWithEtag = Schemas['Draft'] & { etag: string }

/** An automation loaded for editing, with its draft. */
export interface LoadedAutomation {
  automation: Automation
  etag: string
  draft: DraftWithEtag | undefined
  /** The ETag of a draft that another client saved in a form this page cannot parse. */
  foreignDraft?: string | undefined
  /** The content to edit. */
  sequence: AutomationDraft
}

/** Returns the revision in an ETag, even if a proxy made it weak. */
export const revisionOf = (etag: string | undefined): number => Number(/"(\d+)"/.exec(etag ?? '')?.[1] ?? 0)

/** Milliseconds to retry while the server is unreachable. */
const RETRY_TIMEOUT_MS = 60_000
const RETRY_MS = 3_000
const TIMEOUT_MS = 10_000

/** Loads the automation, with retries. @throws if the server is unreachable for a minute */
export async function loadWithRetry(api: Api, id: string): Promise<LoadedAutomation> {
  const until = Date.now() + RETRY_TIMEOUT_MS
  for (;;) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await loadAutomation(api, id, signal)
    } catch (error) {
      if (!(isTransient(error) || signal.aborted)) throw error
      if (Date.now() > until)
        throw signal.aborted ? new DriplineError('Timed out', { code: 'timeout', cause: error }) : error
      await sleep(RETRY_MS)
    }
  }
}

/** The ETag of a missing draft. */
export const NO_DRAFT = '"0"'

/** Loads the draft of an automation. @returns `undefined` if there is none */
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

/** Loads an automation and its draft. A draft that cannot be parsed is reported as a conflict on the first save. */
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

/** Returns the draft in the form that the draft saver needs. */
export const loadedDraftOf = ({ sequence, draft, etag }: LoadedAutomation) => ({
  sequence,
  etag: draft?.etag ?? NO_DRAFT,
  basedOn: draft?.basedOn ?? revisionOf(etag),
  isDraft: draft !== undefined,
})

/** Returns the request body that publishes a draft. */
export const publishBodyOf = (draft: AutomationDraft) => {
  const { name, trigger, triggerConfig, onSendFailure, entry, exitOn, goal, steps } = draft
  return { name, trigger, triggerConfig, onSendFailure, entry, exitOn, goal, steps } as unknown as PublishBody
}
type PublishBody = Pick<Schemas['Publication'], keyof AutomationDraft>

/** Checks whether an automation has the content of a draft. Step IDs are ignored, also in conditions. */
export const isSameContent = (automation: Automation, sequence: AutomationDraft): boolean =>
  withoutIds(draftOf(automation)) === withoutIds(sequence)

const withoutIds = (sequence: AutomationDraft): string =>
  stableJson(
    JSON.parse(
      JSON.stringify(publishBodyOf(sequence), (key, value: unknown) =>
        key === 'id' || key === 'message' ? undefined : value,
      ),
    ) as object,
  )
