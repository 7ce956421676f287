import { Button } from '@mantine/core'
import type { CursorList } from '../api/cursor-list.ts'

/** Reads on behind the last row, where there is more. */
export const More = ({
  of: { isThere, isLoading, load },
  word = 'Earlier ones',
}: {
  of: CursorList<unknown>['more']
  word?: string
}) =>
  isThere && (
    <Button mt={16} loading={isLoading} onClick={load}>
      {word}
    </Button>
  )
