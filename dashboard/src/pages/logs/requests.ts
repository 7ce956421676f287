import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type LoggedRequest = Schemas['LoggedRequest']

export const statusOf = ({ status }: LoggedRequest): StatusStyle => {
  const label = String(status)
  if (status >= 500) return { label, icon: IconX, tone: 'bad' }
  return status >= 400 ? { label, icon: IconAlertTriangle, tone: 'warn' } : { label, icon: IconCheck, tone: 'ok' }
}

export const titleOf = ({ method, path }: LoggedRequest): string => `${method} ${path ?? 'unknown path'}`

/** Returns the API keys to choose from, and a function that finds the name of one. */
export function useApiKeyNames(enabled: boolean) {
  const { data } = useWorkspaceQuery(
    ['api-keys'],
    async (api, signal) => (await api.GET('/api-keys', { signal })).data.data,
    { enabled },
  )
  return {
    options: data?.map(({ id, name }) => ({ value: id, label: name })) ?? [],
    nameOf: (id: string) => (data ? (data.find((key) => key.id === id)?.name ?? 'Deleted key') : '…'),
  }
}
