"""What checks the values of a chart and the words of a stack file, and knows neither: fields, sections, layers, findings."""
