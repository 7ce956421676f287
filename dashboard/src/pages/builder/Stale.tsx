import { Button } from '@mantine/core'
import classes from './Builder.module.css'

/** The automation was changed since the draft was begun: which of the two is meant, somebody has to say. */
export function Stale({ savedBy, onDiscard, onKeep }: { savedBy: string; onDiscard: () => void; onKeep: () => void }) {
  return (
    <div className={`${classes.ending} c-warn`} role="alert">
      <h3>The automation was changed since this draft was begun</h3>
      <p className="t2">
        What you see is the draft, saved by {savedBy}. Published, it takes back what was changed meanwhile.
      </p>
      <div className="row">
        <Button variant="filled" onClick={onDiscard}>
          Discard the draft…
        </Button>
        <Button variant="subtle" color="gray" onClick={onKeep}>
          Keep the draft
        </Button>
      </div>
    </div>
  )
}
