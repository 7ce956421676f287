import { useInfiniteQuery } from '@tanstack/react-query'
import type { Api } from './client.ts'
import { useWorkspace } from './workspace.tsx'

/** So many are read at a time. */
const PAGE_SIZE = 50

/** What a page of such a list is asked by. */
interface Cursor {
  limit: number
  cursor?: string
}

/** A page, as the API answers it. */
interface CursorPage<Row> {
  data: Row[]
  pagination: { nextCursor: string | null }
}

export interface CursorList<Row> {
  /** All that was read so far; `undefined`: nothing yet. */
  rows: Row[] | undefined
  error: Error | null
  refetch: () => void
  /** Those behind the last row. */
  nextPage: { hasMore: boolean; isLoading: boolean; load: () => void }
}

/** Reads a list of the workspace by pages, as far as somebody wants to see it. @param key what it is, and by what */
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
