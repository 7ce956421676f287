import { array } from 'yup'
import { AUTOMATION_NOT_FOUND, findAutomation } from '../automations/index.ts'
import { operation, single, ok } from '../http/index.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import { readId } from '../platform/ids.ts'
import { invalid } from '../platform/api-error.ts'
import { getAutomationStats, listAutomationStats, getWorkspaceStats } from './stats.ts'
import { readGrowth } from './growth-queries.ts'
import { flowCounts, ownAutomations } from './queries.ts'
import { reportOperations } from './report-routes.ts'
import { automationStatsQuery, flowQuery, MAX_AUTOMATIONS, MAX_INTERVALS } from './schemas.ts'
import {
  automationStatsResponse,
  workspaceStatsResponse,
  intervalResponse,
  listedStatsResponse,
  presentAutomationStats,
  presentListedStats,
  presentMessageCounts,
  presentStorage,
  storageResponse,
} from './responses.ts'

const MINUTE_MS = 60_000
const FLOW_TOO_LONG = `since, until and minutes must define at most ${MAX_INTERVALS} intervals`
const SINCE_NO_QUARTER = 'since must be a quarter of an hour, such as 2026-11-21T09:30:00Z'

export const statsOperations = [
  ...reportOperations,

  operation({
    id: 'getStats',
    method: 'GET',
    path: '/stats',
    tag: 'Stats',
    summary: 'Get the stats of the workspace',
    description: 'Current numbers: active enrollments, emails that are due, and messages that need a decision.',
    scope: 'automations:read',
    responses: { 200: { description: 'The stats.', schema: single(workspaceStatsResponse) } },
    handle: async ({ caller }, { em }) => ok(await getWorkspaceStats(em.fork(), caller.workspace.id)),
  }),

  operation({
    id: 'getStorage',
    method: 'GET',
    path: '/workspace/storage',
    tag: 'Settings',
    summary: 'Get the storage usage',
    description:
      'Counts the stored messages, and those of the last 30 days, and estimates their size. The size on disk is divided among workspaces ' +
      'by their number of messages.',
    scope: null,
    responses: { 200: { description: 'The estimate.', schema: single(storageResponse) } },
    handle: async ({ caller }, { em }) => ok(presentStorage(await readGrowth(em.fork(), caller.workspace.id))),
  }),

  operation({
    id: 'getFlow',
    method: 'GET',
    path: '/flow',
    tag: 'Stats',
    summary: 'Get messages sent and due, by time',
    description:
      'Messages by the time when they were first due, with their current status, and contacts by the time when they continue. Only the next ' +
      'step of a contact is counted, and only contacts enrolled now. Empty intervals are left out.',
    scope: 'automations:read',
    query: flowQuery,
    responses: {
      200: { description: 'The intervals, oldest first.', schema: single(array().of(intervalResponse).required()) },
    },
    errors: { 400: [FLOW_TOO_LONG, SINCE_NO_QUARTER] },
    async handle({ caller, query }, { em }) {
      const [from, until] = [new Date(query.since), new Date(query.until)]
      if (from.getTime() % (15 * MINUTE_MS) !== 0) throw invalid(SINCE_NO_QUARTER, '/since')
      if (until.getTime() - from.getTime() > MAX_INTERVALS * query.minutes * MINUTE_MS)
        throw invalid(FLOW_TOO_LONG, '/until')
      const flow = await flowCounts(em.fork(), {
        subjects: [caller.workspace.id],
        counters: [...MESSAGE_STATUSES, 'WAITING'],
        from,
        minutes: query.minutes,
        until,
      })
      const data = flow.map(({ at, counts }) => ({
        since: at.toISOString(),
        messages: presentMessageCounts(counts),
        waiting: counts['WAITING'] ?? 0,
      }))
      return ok(data)
    },
  }),

  operation({
    id: 'listAutomationStats',
    method: 'GET',
    path: '/automations/stats',
    tag: 'Stats',
    summary: 'List the stats of automations',
    description: 'In the order of the given IDs. IDs that are not automations of the workspace are left out.',
    scope: 'automations:read',
    query: automationStatsQuery,
    responses: {
      200: { description: 'The stats.', schema: single(array().of(listedStatsResponse).required()) },
    },
    async handle({ caller, query }, { em }) {
      const ids = [...new Set(query.ids.split(',').flatMap((text) => readId(text.trim()) ?? []))]
      const unit = em.fork()
      const own = await ownAutomations(unit, caller.workspace.id, ids.slice(0, MAX_AUTOMATIONS))
      const stats = own.length === 0 ? [] : await listAutomationStats(unit, own, new Date())
      return ok(stats.map(presentListedStats))
    },
  }),

  operation({
    id: 'getAutomationStats',
    method: 'GET',
    path: '/automations/{id}/stats',
    tag: 'Stats',
    summary: 'Get the stats of an automation',
    description:
      'The number of contacts before each step, the messages of each email by status, and how many contacts took each branch.',
    scope: 'automations:read',
    responses: { 200: { description: 'The stats.', schema: single(automationStatsResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const unit = em.fork()
      const { status, revision } = await findAutomation(unit, caller.workspace.id, params.id)
      const stats = presentAutomationStats(await getAutomationStats(unit, params.id))
      return ok({ ...stats, status, revision })
    },
  }),
]
