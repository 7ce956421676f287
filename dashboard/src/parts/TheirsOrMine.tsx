import { Button } from '@mantine/core'
import { Notice } from './Notice.tsx'
import { useInSight } from './use-in-sight.ts'

/** Somebody else has saved what is changed here: whose is meant has to be said. */
export const TheirsOrMine = ({
  says,
  onTheirs,
  onMine,
}: {
  says: string
  onTheirs: () => void
  onMine: () => void
}) => {
  const shown = useInSight<HTMLDivElement>(says)
  return (
    <div ref={shown}>
      <Notice title="Somebody else has changed it">
        <p className="t2">{says} What you have typed is in this page only.</p>
        <div className="row">
          <Button onClick={onTheirs}>Take theirs</Button>
          <Button variant="filled" onClick={onMine}>
            Save mine
          </Button>
        </div>
      </Notice>
    </div>
  )
}
