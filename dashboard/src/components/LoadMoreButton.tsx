import { Button } from '@mantine/core'
import type { CursorList } from '../api/cursor-list.ts'

export const LoadMoreButton = ({
  of: { hasMore, isLoading, load },
  label = 'Load more',
}: {
  of: CursorList<unknown>['nextPage']
  label?: string
}) =>
  hasMore && (
    <Button mt={16} loading={isLoading} onClick={load}>
      {label}
    </Button>
  )
