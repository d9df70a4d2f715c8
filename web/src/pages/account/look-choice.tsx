import { useState } from "preact/hooks";
import { chooseLook, densities, keyChoices, storedLook, themes } from "../../look.ts";

/** Choices of look, kept in this browser only, and in no link. */
export function LookChoice() {
  const [look, setLook] = useState(storedLook);
  const choose = (change: Partial<typeof look>) => {
    const next = { ...look, ...change };
    setLook(next);
    chooseLook(next);
  };
  return (
    <section aria-labelledby="look">
      <h2 id="look">Appearance</h2>
      <p class="soft">
        These settings are stored in this browser only. The sign-in pages run no scripts and follow
        the system.
      </p>
      <fieldset class="choices">
        <legend>Colours</legend>
        {themes.map((theme) => (
          <label key={theme}>
            <input
              type="radio"
              name="theme"
              checked={look.theme === theme}
              onChange={() => choose({ theme })}
            />{" "}
            {theme === "system" ? "same as the system" : theme}
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>Table rows</legend>
        {densities.map((density) => (
          <label key={density}>
            <input
              type="radio"
              name="density"
              checked={look.density === density}
              onChange={() => choose({ density })}
            />{" "}
            {density}
          </label>
        ))}
      </fieldset>
      <fieldset class="choices">
        <legend>Single-letter shortcuts, such as x and c</legend>
        {keyChoices.map((keys) => (
          <label key={keys}>
            <input
              type="radio"
              name="keys"
              checked={look.keys === keys}
              onChange={() => choose({ keys })}
            />{" "}
            {keys}
          </label>
        ))}
      </fieldset>
    </section>
  );
}
