import { Button } from '@mantine/core'
import { Notice } from './Notice.tsx'

/** Somebody else has saved what is changed here: whose is meant has to be said. */
export const TheirsOrMine = ({
  says,
  onTheirs,
  onMine,
}: {
  says: string
  onTheirs: () => void
  onMine: () => void
}) => (
  <Notice title="Somebody else has changed it">
    <p className="t2">{says} What you have typed is in this page only.</p>
    <div className="row">
      <Button onClick={onTheirs}>Take theirs</Button>
      <Button variant="filled" onClick={onMine}>
        Save mine
      </Button>
    </div>
  </Notice>
)
