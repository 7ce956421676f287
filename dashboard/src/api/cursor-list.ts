import { useInfiniteQuery } from '@tanstack/react-query'
import type { Api } from './client.ts'
import { useWorkspace } from './workspace.tsx'

const PAGE_SIZE = 50

interface Cursor {
  limit: number
  cursor?: string
}

interface CursorPage<Row> {
  data: Row[]
  pagination: { nextCursor: string | null }
}

export interface CursorList<Row> {
  /** All rows loaded so far; `undefined` while the first page loads. */
  rows: Row[] | undefined
  error: Error | null
  refetch: () => void
  nextPage: { hasMore: boolean; isLoading: boolean; load: () => void }
}

/** Loads a list of the workspace page by page, as far as the user scrolls. */
export function useCursorList<Row>(
  key: readonly unknown[],
  read: (api: Api, page: Cursor, signal: AbortSignal) => Promise<CursorPage<Row>>,
  { refetchMs, enabled = true }: { refetchMs?: number; enabled?: boolean } = {},
): CursorList<Row> {
  const { api, workspace } = useWorkspace()
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    queryKey: [workspace.id, ...key],
    queryFn: ({ pageParam, signal }) =>
      read(api, { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    enabled,
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  })
  return {
    rows: data?.pages.flatMap((page) => page.data),
    error,
    refetch: () => void refetch(),
    nextPage: { hasMore: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() },
  }
}
