import { removeFeed, setField, useFeedKinds, usePlan } from '../state/plan-draft.ts';
import { KindList } from './kind-list.tsx';
import { messages } from './messages/live.ts';
import { PlanFields } from './plan-fields.tsx';
import { TestSteps } from './test-steps.tsx';

/** The settings of the selected feed, from the schema of its kind, and the result of its test. */
export function PlanForm() {
  const { feeds, selected, problems, tested } = usePlan();
  const { value: kinds = [] } = useFeedKinds();
  const feed = selected === null ? undefined : feeds[selected];
  if (!feed || selected === null) return <KindList />;
  const kind = kinds.find((one) => one.kind === feed['kind']);
  const own = problems.filter((problem) => problem.feed === selected);
  const elsewhere = own.filter(({ path }) => !kind?.fields.some((field) => field.path === path));
  return (
    <section className="connect-form" aria-label={messages.plan.settings} key={selected}>
      <header>
        <h3>{kind?.title ?? String(feed['kind'])}</h3>
        <button type="button" className="plain" onClick={() => removeFeed(selected)}>
          {messages.plan.remove}
        </button>
      </header>
      <p className="muted">{kind?.about}</p>
      {elsewhere.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="connect-wrong" role="alert">
          ▲ {path === '' ? message : `${path}: ${message}`}
        </p>
      ))}
      <TestSteps tested={tested[selected]} />
      <PlanFields
        fields={kind?.fields ?? []}
        values={feed}
        problems={own}
        onSet={(path, value) => setField(selected, path, value)}
      />
    </section>
  );
}
