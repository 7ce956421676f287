import type { Api } from './client.ts'
import { useWorkspaceQuery } from './workspace.tsx'

const PAGE_SIZE = 100
/** Beyond that a list is cut: nobody chooses from two thousand by hand. */
const MAX_PAGES = 20

/** Every page of a list, one after the other. @param get one of them, of a hundred */
export async function readPages<Row>(
  get: (query: {
    page: number
    limit: number
  }) => Promise<{ data: { data: Row[]; pagination: { totalPages: number } } }>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data } = await get({ page, limit: PAGE_SIZE })
    rows.push(...data.data)
    if (page >= data.pagination.totalPages) break
  }
  return rows
}

/** How what the service needs is, and what its mail leaves by. */
export const useServiceStatus = () =>
  useWorkspaceQuery(['service'], async (api, signal) => (await api.GET('/service', { signal })).data.data, {
    refetchMs: 15_000,
  })

/** The workspace's figures, of its whole mail. */
export const useStats = () =>
  useWorkspaceQuery(['figures'], async (api, signal) => (await api.GET('/figures', { signal })).data.data, {
    refetchMs: 10_000,
  })

const readLists = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/lists', { params: { query }, signal }))

/** The lists of the workspace, to choose from. */
export function useLists() {
  const { data } = useWorkspaceQuery(['lists', 'choice'], readLists)
  return data?.map(({ id, name, doubleOptIn }) => ({ value: id, label: name, isAsking: doubleOptIn }))
}

/** What a list is called. */
export function useListName(): (id: string) => string | undefined {
  const lists = useLists()
  return (id) => lists?.find(({ value }) => value === id)?.label
}

const readSegments = (api: Api, signal: AbortSignal) =>
  readPages((query) => api.GET('/segments', { params: { query }, signal }))

/** The segments of the workspace, to choose from. */
export function useSegments() {
  const { data } = useWorkspaceQuery(['segments', 'choice'], readSegments)
  return data?.map(({ id, name }) => ({ value: id, label: name }))
}

/** What a segment is called. */
export function useSegmentName(): (id: string) => string | undefined {
  const segments = useSegments()
  return (id) => segments?.find(({ value }) => value === id)?.label
}

/** The templates of emails, to choose from. */
export const useEmailTemplates = () => useTemplates('EMAIL')

/** The template that a campaign is made of, and whether it says something newer by now; `undefined` of what is made of none, or is gone. */
export function useCampaignTemplate({
  templateId,
  templateVersion,
}: {
  templateId: string | null
  templateVersion: number | null
}) {
  const template = useEmailTemplates()?.find(({ id }) => id === templateId)
  return template && { ...template, isNewer: template.version > (templateVersion ?? 0) }
}

/** The templates of a kind, to choose from. */
export function useTemplates(kind: 'EMAIL' | 'LAYOUT') {
  const { data } = useWorkspaceQuery(['templates', 'of', kind], async (api, signal) => {
    const query = { kind, limit: 100 } as const
    return (await api.GET('/templates', { params: { query }, signal })).data.data
  })
  return data
}

/** What the newest contacts have of data. */
export function useMetadataKeys(): readonly string[] {
  const { data } = useWorkspaceQuery(['contacts', 'keys'], async (api, signal) => {
    const { data: listed } = await api.GET('/contacts', { params: { query: { limit: 20 } }, signal })
    return [...new Set(listed.data.flatMap(({ metadata }) => Object.keys(metadata)))].filter((key) => /^\w+$/.test(key))
  })
  return data ?? []
}
