import { type Api, DriplineError, isPassing, isRefusedFor, type Schemas } from '../../api/client.ts'
import { pause } from '../../parts/pause.ts'
import { sameText } from '../../parts/same-text.ts'
import { readSequence, type Sequence, sequenceOf } from './sequence.ts'

type Automation = Schemas['Automation']

export type ReadDraft = Schemas['Draft'] & { etag: string }

/** An automation as it was read to be edited, with the draft there is of it. */
export interface Opened {
  automation: Automation
  etag: string
  draft: ReadDraft | undefined
  /** The ETag of a draft that another program keeps, and this page cannot read. */
  foreignDraft?: string | undefined
  /** What is edited. */
  sequence: Sequence
}

/** The revision in an ETag, also where a proxy has made it a weak one. */
export const revisionOf = (etag: string | undefined): number => Number(/"(\d+)"/.exec(etag ?? '')?.[1] ?? 0)

/** How long, and with what pauses, it is tried to read what is there, where the service does not answer, in milliseconds. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 3_000
const TIMEOUT_MS = 10_000

/** @returns the automation as it is, as soon as the service answers @throws where it does not for a minute */
export async function readInTime(api: Api, id: string): Promise<Opened> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await readOpened(api, id, signal)
    } catch (error) {
      if (!(isPassing(error) || signal.aborted)) throw error
      if (Date.now() > until)
        throw signal.aborted ? new DriplineError('No answer', { code: 'timeout', cause: error }) : error
      await pause(PAUSE_MS)
    }
  }
}

/** The ETag where there is no draft. */
export const NO_DRAFT = '"0"'

/** Reads the draft of an automation. @returns `undefined` where there is none */
export async function readDraft(api: Api, id: string, signal?: AbortSignal): Promise<ReadDraft | undefined> {
  try {
    const given = { params: { path: { id } }, ...(signal && { signal }) }
    const { data, response } = await api.GET('/automations/{id}/draft', given)
    return { ...data.data, etag: response.headers.get('etag') ?? '' }
  } catch (error) {
    if (isRefusedFor(error, 'draft_not_found')) return undefined
    throw error
  }
}

/** Reads an automation, and the draft of it: where another program has begun one that nobody here can read, it is told when it is saved over. */
export async function readOpened(api: Api, id: string, signal?: AbortSignal): Promise<Opened> {
  const given = { params: { path: { id } }, ...(signal && { signal }) }
  const { data: body, response } = await api.GET('/automations/{id}', given)
  const found = await readDraft(api, id, signal)
  const automation = body.data
  const kept = found && readSequence(found.content)
  return {
    automation,
    etag: response.headers.get('etag') ?? '',
    draft: kept && found,
    foreignDraft: kept ? undefined : found?.etag,
    sequence: kept ?? sequenceOf(automation),
  }
}

/** As a draft is kept of it. */
export const draftOf = ({ sequence, draft, etag }: Opened) => ({
  sequence,
  etag: draft?.etag ?? NO_DRAFT,
  basedOn: draft?.basedOn ?? revisionOf(etag),
  isDraft: draft !== undefined,
})

/** What is said to be so when a sequence is published. */
export const publicationOf = ({ name, trigger, triggerConfig, onSendFailure, steps }: Sequence) => ({
  name,
  trigger,
  triggerConfig,
  onSendFailure,
  steps: [...steps],
})

/** Whether an automation is what a sequence says, whatever its steps' ids are. */
export const isAs = (automation: Automation, sequence: Sequence): boolean =>
  withoutIds(sequenceOf(automation)) === withoutIds(sequence)

const withoutIds = (sequence: Sequence): string =>
  sameText({ ...publicationOf(sequence), steps: sequence.steps.map((step) => ({ ...step, id: '' })) })
