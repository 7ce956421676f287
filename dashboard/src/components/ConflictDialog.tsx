import { Button } from '@mantine/core'
import { Notice } from './Notice.tsx'
import { useScrollIntoView } from '../lib/use-scroll-into-view.ts'

/** Somebody else has saved what is changed here: whose is meant has to be said. */
export const ConflictDialog = ({
  description,
  onUseTheirs,
  onSaveMine,
}: {
  description: string
  onUseTheirs: () => void
  onSaveMine: () => void
}) => {
  const shown = useScrollIntoView<HTMLDivElement>(description)
  return (
    <div ref={shown}>
      <Notice title="Somebody else has changed it">
        <p className="t2">{description} What you have typed is in this page only.</p>
        <div className="row">
          <Button onClick={onUseTheirs}>Take theirs</Button>
          <Button variant="filled" onClick={onSaveMine}>
            Save mine
          </Button>
        </div>
      </Notice>
    </div>
  )
}
