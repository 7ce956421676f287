import { IconTargetArrow } from '@tabler/icons-react'
import { Fragment } from 'react'
import type { Names } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { branchSentence, detailOf, leaveRuleText, titleOf } from '../builder/describe-step.ts'
import { branchesOf } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import type { Step } from '../builder/steps.ts'
import classes from './new-automation.module.css'
import { type Recipe, requirementsOf } from './recipes.ts'
import { TRIGGERS } from './triggers.ts'

/** Lists the steps of a recipe, its goal and what it needs. */
export function RecipePreview({ recipe }: { recipe: Recipe }) {
  const names = useConditionNames()
  const { body, description, draft } = recipe
  const { icon: Icon, label } = TRIGGERS[draft.trigger]
  const requirements = requirementsOf(recipe)
  return (
    <section className={classes.preview} aria-label={body.name}>
      <h3>{body.name}</h3>
      <p className="t2">{description}</p>
      <ol className={classes.steps}>
        <li className={classes.step}>
          <Icon aria-hidden />
          <span className="strong">{label(draft.triggerConfig, names.list)}</span>
        </li>
        <PreviewSteps steps={draft.steps} names={names} />
      </ol>
      {draft.goal && (
        <p className={classes.step}>
          <IconTargetArrow aria-hidden />
          <span>
            <span className="strong">Goal: {leaveRuleText(draft.goal, names)}</span>
            <br />
            <span className="small t2">Contacts leave as soon as they reach it, at any step.</span>
          </span>
        </p>
      )}
      {requirements.length > 0 && (
        <div>
          <h4>Needs</h4>
          <p className={classes.needs}>
            {requirements.map((name) => (
              <span key={name} className="code">
                {name}
              </span>
            ))}
          </p>
        </div>
      )}
    </section>
  )
}

const PreviewSteps = ({ steps, names }: { steps: readonly Step[]; names: Names }) => (
  <>
    {steps.map((step) => {
      const { icon: Icon, tone } = STEP_TYPES[step.type]
      return (
        <Fragment key={step.id}>
          <li className={classes.step}>
            <span className={`${classes.mark} c-${tone}`}>
              <Icon size={14} aria-hidden />
            </span>
            <span className={classes.stepText}>
              <span className="strong cut">{titleOf(step, names)}</span>
              <span className="small t2 cut">{detailOf(step, names)}</span>
            </span>
          </li>
          {branchesOf(step).map(({ name, steps: inner }, branch) => (
            <li key={name} className={classes.branch}>
              <span className="small strong">{name}</span>{' '}
              <span className="small t2">{branchSentence(step, branch, names)}</span>
              <ol>
                <PreviewSteps steps={inner} names={names} />
              </ol>
            </li>
          ))}
        </Fragment>
      )
    })}
  </>
)
