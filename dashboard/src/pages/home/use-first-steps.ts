import { useLocalStorage } from '@mantine/hooks'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'

const ACTIVE_REFETCH_MS = 2_000
const IDLE_REFETCH_MS = 3_600_000

/** Whether this browser shows the first steps of a workspace, regardless of how far it is. */
export function useFirstStepsChoice() {
  const { workspace } = useWorkspace()
  return useLocalStorage<'open' | 'hidden' | null>({ key: `first-steps-${workspace.id}`, defaultValue: null })
}

/** Loads what the workspace has so far, by which the first steps are checked. @param isShown polls often */
export const useFirstSteps = (isShown: boolean) =>
  useWorkspaceQuery(
    ['first-steps'],
    async (api, signal) => {
      const params = { query: { limit: 1 } }
      const [contacts, templates, automations, campaigns, events, messages] = await Promise.all([
        api.GET('/contacts', { params, signal }),
        api.GET('/templates', { params, signal }),
        api.GET('/automations', { params: { query: { limit: 100 } }, signal }),
        api.GET('/campaigns', { params: { query: { limit: 100 } }, signal }),
        api.GET('/events', { params, signal }),
        api.GET('/messages', { params, signal }),
      ])
      return {
        contacts: contacts.data.pagination.total,
        emails:
          templates.data.pagination.total +
          automations.data.data.filter(({ stepCount }) => stepCount > 0).length +
          campaigns.data.data.filter(({ subject }) => subject !== null).length,
        running:
          automations.data.data.filter(({ status }) => status === 'active').length +
          campaigns.data.data.filter(({ status }) => status !== 'DRAFT').length,
        event: events.data.data[0],
        message: messages.data.data[0],
      }
    },
    { refetchMs: isShown ? ACTIVE_REFETCH_MS : IDLE_REFETCH_MS },
  )

export type Progress = NonNullable<ReturnType<typeof useFirstSteps>['data']>
