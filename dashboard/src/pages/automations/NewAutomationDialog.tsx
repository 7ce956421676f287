import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { CurlButton } from '../../components/CurlButton.tsx'
import { duration, plural } from '../../lib/format.ts'
import { MiniFlow } from './MiniFlow.tsx'
import classes from './new-automation.module.css'
import { RecipePreview } from './RecipePreview.tsx'
import { BLANK, emailCount, longestWait, type Recipe, RECIPES } from './recipes.ts'
import { TRIGGERS } from './triggers.ts'

const DAY_MINUTES = 1_440
const ALL = [BLANK, ...RECIPES]

/** Chooses the recipe of a new automation. */
export default function NewAutomationDialog({
  onUse,
  isPending,
  onClose,
}: {
  onUse: (body: Recipe['body']) => void
  isPending: boolean
  onClose: () => void
}) {
  const [chosen, setChosen] = useState<Recipe>(BLANK)
  const use = (recipe: Recipe) => {
    if (!isPending) onUse(recipe.body)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title="New automation"
      size="min(1120px, 95vw)"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p className="t2">
        Every step and email is editable. A recipe creates a draft: nothing is sent until you activate it.
      </p>
      <div className={classes.dialog}>
        <div className={classes.cards} role="group" aria-label="Recipes">
          {ALL.map((recipe) => (
            <RecipeCard
              key={recipe.body.name}
              recipe={recipe}
              isChosen={recipe === chosen}
              onChoose={() => setChosen(recipe)}
              onUse={() => use(recipe)}
            />
          ))}
        </div>
        <div className={classes.side}>
          <RecipePreview recipe={chosen} />
          <div className={`row ${classes.buttons}`}>
            <Button variant="filled" loading={isPending} onClick={() => use(chosen)}>
              {chosen === BLANK ? 'Start blank' : 'Use recipe'}
            </Button>
            <CurlButton call={{ method: 'POST', path: '/automations', body: chosen.body }} />
          </div>
        </div>
      </div>
    </Modal>
  )
}

/** Selects a recipe with a click, and uses it with a double-click or Enter. */
function RecipeCard({
  recipe,
  isChosen,
  onChoose,
  onUse,
}: {
  recipe: Recipe
  isChosen: boolean
  onChoose: () => void
  onUse: () => void
}) {
  const { draft, description } = recipe
  const isBlank = recipe === BLANK
  return (
    <button
      type="button"
      className={classes.card}
      aria-pressed={isChosen}
      onClick={onChoose}
      onDoubleClick={onUse}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        onUse()
      }}
      {...(isBlank && { 'data-autofocus': true })}
    >
      <span className={classes.thumbnail}>
        {isBlank ? <span className={classes.empty} aria-hidden /> : <MiniFlow steps={draft.steps} />}
      </span>
      <span className={classes.about}>
        <span className="strong">{isBlank ? 'Blank' : recipe.body.name}</span>
        <span className="t2">{description}</span>
        <span className="small t3">{isBlank ? 'No steps, any trigger' : factsOf(recipe)}</span>
      </span>
    </button>
  )
}

/** Such as "4 emails, 14 days, Contact created". */
function factsOf(recipe: Recipe): string {
  const { steps, trigger, triggerConfig } = recipe.draft
  const minutes = longestWait(steps)
  const days = minutes >= DAY_MINUTES ? Math.floor(minutes / DAY_MINUTES) * DAY_MINUTES : minutes
  return [
    plural(emailCount(recipe), 'email'),
    ...(days > 0 ? [duration(days)] : []),
    TRIGGERS[trigger].label(triggerConfig, () => undefined),
  ].join(', ')
}
