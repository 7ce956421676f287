import { Button } from '@mantine/core'
import { Notice } from './Notice.tsx'
import { useScrollIntoView } from '../lib/use-scroll-into-view.ts'

/** Asks which version to keep when someone else saved the same record. */
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
      <Notice title="Someone else changed this">
        <p className="t2">{description} Your changes haven’t been saved.</p>
        <div className="row">
          <Button onClick={onUseTheirs}>Use their version</Button>
          <Button variant="filled" onClick={onSaveMine}>
            Overwrite with mine
          </Button>
        </div>
      </Notice>
    </div>
  )
}
