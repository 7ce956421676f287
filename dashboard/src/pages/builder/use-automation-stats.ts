import { hasErrorCode } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'

const REFETCH_MS = 5_000

/** The stats of an automation, kept up to date. They also tell that it was changed or deleted. */
export function useAutomationStats(automationId: string) {
  const { data, error, dataUpdatedAt } = useWorkspaceQuery(
    ['automations', automationId, 'stats'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/stats', { params: { path: { id: automationId } }, signal })).data.data,
    { refetchMs: REFETCH_MS },
  )
  return { stats: data, statsUpdatedAt: dataUpdatedAt, isDeleted: hasErrorCode(error, 'automation_not_found') }
}
