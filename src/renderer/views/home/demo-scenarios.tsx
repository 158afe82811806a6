import { demoScenarioNames, demoScenarios } from '../../../model/demo-scenario.ts';
import { openDemo } from '../../state/case-lifecycle.ts';
import { messages } from './messages.ts';

/** Generated incidents to play with. */
export function DemoScenarios({ disabled }: { readonly disabled: boolean }) {
  return (
    <section className="demo-scenarios" aria-label={messages.scenarios.title}>
      <h2>{messages.scenarios.title}</h2>
      <ul>
        {demoScenarioNames.map((name) => (
          <li key={name}>
            <button
              type="button"
              disabled={disabled}
              onClick={() => void openDemo(name)}
              data-testid={`open-demo-${name}`}
            >
              {messages.scenarios.names[name]}
            </button>
            <span className="muted">{demoScenarios[name]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
