import { hasErrorCode } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'

const REFETCH_MS = 5_000

/** Loads the stats of an automation every few seconds. A new revision in them means that the automation was changed. */
export function useAutomationStats(automationId: string) {
  const { data, error, dataUpdatedAt } = useWorkspaceQuery(
    ['automations', automationId, 'stats'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/stats', { params: { path: { id: automationId } }, signal })).data.data,
    { refetchMs: REFETCH_MS },
  )
  return { stats: data, statsUpdatedAt: dataUpdatedAt, isDeleted: hasErrorCode(error, 'automation_not_found') }
}
