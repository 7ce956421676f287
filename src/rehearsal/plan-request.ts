import type { InferType } from 'yup'
import { readRehearsable, type Rehearsable, withChange } from '../automations/index.ts'
import type { ApiDependencies } from '../http/index.ts'
import { normalizeId } from '../platform/ids.ts'
import { findSegment } from '../segments/index.ts'
import { foldName, triggerKey } from '../triggers/index.ts'
import { timeIn } from '../workspaces/index.ts'
import { type RehearsalPlan, rulesOf } from './plan.ts'
import { DEFAULT_DAYS, type rehearseSchema } from './schemas.ts'

const DAY_MS = 86_400_000

export type RehearsalRequest = InferType<typeof rehearseSchema>

/** The automation that is rehearsed, and the current version to compare it with, unless it was never active. */
export interface Compared {
  rehearsed: Rehearsable
  current: Rehearsable | null
}

/** @throws {ApiError} `automation_not_found`; `version_not_found`; `invalid` */
export async function readCompared(
  { em }: Pick<ApiDependencies, 'em'>,
  workspaceId: string,
  id: string,
  { version, steps, entry, exitOn, goal }: Pick<RehearsalRequest, 'version' | 'steps' | 'entry' | 'exitOn' | 'goal'>,
): Promise<Compared> {
  const current = await readRehearsable(em.fork(), workspaceId, id)
  const compared = current.wasActive ? current : null
  if (version !== undefined) {
    const rehearsed = await readRehearsable(em.fork(), workspaceId, id, version)
    return { rehearsed, current: version === current.version ? null : compared }
  }
  const change = { steps, entry, exitOn, goal }
  if (Object.values(change).every((each) => each === undefined)) return { rehearsed: current, current: null }
  return { rehearsed: await withChange(em.fork(), workspaceId, current, change), current: compared }
}

/** Plans what a request asks for. @throws {ApiError} `segment_not_found` */
export async function planOf(
  { em }: Pick<ApiDependencies, 'em'>,
  workspaceId: string,
  { rehearsed, current }: Compared,
  body: RehearsalRequest,
): Promise<RehearsalPlan> {
  const { startAt, replayDays, days = DEFAULT_DAYS, data, events = [], responses } = body
  const segmentId = body.segmentId === undefined ? null : normalizeId(body.segmentId)
  if (segmentId !== null) await findSegment(em.fork(), workspaceId, segmentId)
  const now = (await timeIn(em.fork(), workspaceId)).getTime()
  const from =
    replayDays === undefined ? (startAt === undefined ? now : Date.parse(startAt)) : now - replayDays * DAY_MS
  const { trigger, triggerConfig } = rehearsed
  const key = triggerKey(trigger, triggerConfig)
  return {
    rehearsed: rulesOf(rehearsed),
    version: rehearsed.version,
    current: current && { ...rulesOf(current), version: current.version! },
    ...{ segmentId, from, until: from + days * DAY_MS },
    // Without a key, it listens for nothing.
    replay: replayDays === undefined ? null : { trigger, triggerKey: key ?? '' },
    event: trigger === 'EVENT' && key !== null ? { name: key, data: data ?? {} } : null,
    supposed: events.map(({ eventName, afterMinutes, share = 1, data: eventData = {} }) => ({
      ...{ afterMinutes, share, data: eventData },
      name: foldName(eventName),
    })),
    responses: responses ?? {},
  }
}

/** A change of an automation that is proposed, to rehearse it for all contacts. */
type ProposedChange = Pick<RehearsalRequest, 'steps' | 'entry' | 'exitOn' | 'goal'>

/** Plans the rehearsal of a change for all contacts. @throws {ApiError} see `readCompared` */
export const planOfChange = async (
  dependencies: Pick<ApiDependencies, 'em'>,
  workspaceId: string,
  automationId: string,
  change: ProposedChange,
): Promise<RehearsalPlan> =>
  planOf(dependencies, workspaceId, await readCompared(dependencies, workspaceId, automationId, change), {})
