interface SliderProps {
  title: string;
  unit: string;
  text: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onValue: (value: number) => void;
}

/** A slider with its value beside its title. */
export function Slider({ title, unit, text, value, min, max, step, onValue }: SliderProps) {
  return (
    <label class="slider">
      <span class="slider-value">
        {title} <output>{text}</output>
      </span>
      <input
        type="range"
        aria-label={`${title}, ${unit}`}
        aria-valuetext={text}
        min={min}
        max={max}
        step={step}
        value={value}
        onInput={({ currentTarget }) => onValue(Number(currentTarget.value))}
      />
    </label>
  );
}
