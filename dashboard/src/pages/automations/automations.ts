import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/workspace.tsx'
import type { AutomationStatus } from '../../parts/states.tsx'
import type { Summary } from './triggers.ts'

export interface Listed {
  automation: Summary
  /** Not there yet, while it is read. */
  figures: Schemas['ListedFigures'] | undefined
}

const PAGE = 100
/** Beyond that the list is cut, and says so. */
const MOST_PAGES = 20

/** All automations of the workspace, newest first, and then their figures. */
export function useAutomations() {
  const listed = useRead(
    ['automations', 'list'],
    async (api, signal) => {
      const automations: Summary[] = []
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const { data } = await api.GET('/automations', { params: { query: { page, limit: PAGE } }, signal })
        automations.push(...data.data)
        if (page >= data.pagination.totalPages) break
      }
      return automations
    },
    { everyMs: 30_000 },
  )
  const ids = listed.data?.map(({ id }) => id) ?? []
  const figures = useRead(
    ['automations', 'figures', ids],
    async (api, signal) => {
      const found = new Map<string, Schemas['ListedFigures']>()
      for (let from = 0; from < ids.length; from += PAGE) {
        const query = { ids: ids.slice(from, from + PAGE).join() }
        const { data } = await api.GET('/automations/figures', { params: { query }, signal })
        for (const each of data.data) found.set(each.automationId, each)
      }
      return found
    },
    { enabled: ids.length > 0, everyMs: 10_000 },
  )
  const rows: Listed[] | undefined = listed.data?.map((automation) => ({
    automation,
    figures: figures.data?.get(automation.id),
  }))
  return { rows, error: listed.error ?? figures.error, refetch: () => void listed.refetch() }
}

/** The names of the workspace's lists, as far as there are a hundred. */
export function useListNames(): (id: string) => string | undefined {
  const { data } = useRead(['lists', 'names'], async (api, signal) => {
    const { data: lists } = await api.GET('/lists', { params: { query: { limit: PAGE } }, signal })
    return new Map(lists.data.map(({ id, name }) => [id, name]))
  })
  return (id) => data?.get(id)
}

export const statusOf = ({ status }: Summary): AutomationStatus => status.toUpperCase() as AutomationStatus
