import { Button } from '@mantine/core'
import { Alone } from './Alone.tsx'

/** Where a page cannot be shown: what it needs is of another version, or it is at fault itself. */
export const BrokenPage = () => (
  <Alone title="This page cannot be shown">
    <p className="t2">There may be a new version of Dripline: load the page again. What was saved is there.</p>
    <Button variant="filled" onClick={() => location.reload()}>
      Load it again
    </Button>
  </Alone>
)
