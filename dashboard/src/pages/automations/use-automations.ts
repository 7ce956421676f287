import type { Schemas } from '../../api/client.ts'
import { readPages } from '../../api/queries.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { AutomationStatus } from '../../components/StatusBadge.tsx'
import type { Summary } from './triggers.ts'

export interface AutomationRow {
  automation: Summary
  /** `undefined` while loading. */
  stats: Schemas['ListedStats'] | undefined
}

/** Automations per stats request. */
const STATS_BATCH_SIZE = 100

/** Loads all automations of the workspace, newest first, and their stats. */
export function useAutomations() {
  const listed = useWorkspaceQuery(
    ['automations', 'list'],
    (api, signal) => readPages<Summary>((query) => api.GET('/automations', { params: { query }, signal })),
    { refetchMs: 30_000 },
  )
  const ids = listed.data?.map(({ id }) => id) ?? []
  const stats = useWorkspaceQuery(
    ['automations', 'stats', ids],
    async (api, signal) => {
      const found = new Map<string, Schemas['ListedStats']>()
      for (let from = 0; from < ids.length; from += STATS_BATCH_SIZE) {
        const query = { ids: ids.slice(from, from + STATS_BATCH_SIZE).join() }
        const { data } = await api.GET('/automations/stats', { params: { query }, signal })
        for (const each of data.data) found.set(each.automationId, each)
      }
      return found
    },
    { enabled: ids.length > 0, refetchMs: 10_000 },
  )
  const rows: AutomationRow[] | undefined = listed.data?.map((automation) => ({
    automation,
    stats: stats.data?.get(automation.id),
  }))
  return { rows, error: listed.error ?? stats.error, refetch: () => void listed.refetch() }
}

export const statusOf = ({ status }: Summary): AutomationStatus => status.toUpperCase() as AutomationStatus
